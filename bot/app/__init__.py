"""The composition root: settings in, running bot out. Every part is built here and handed what it needs."""
