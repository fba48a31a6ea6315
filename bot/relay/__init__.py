"""What happens: polling, judging, following, delivering, asking and acting, over domain types and ports only."""
