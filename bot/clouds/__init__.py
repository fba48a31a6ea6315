"""Outside world 1: the platforms that rent the GPUs, spoken to over HTTP; one folder each, one wire shared by all."""
