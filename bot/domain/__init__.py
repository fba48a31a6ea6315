"""What is true: alarms, incidents, jobs, rules, access and the grammar of /gpu. No await, no I/O, no clock."""
