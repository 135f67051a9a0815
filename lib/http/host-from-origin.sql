-- Normalised like a request's host: without a port, and without a trailing dot (the DNS root).
create function host_from_origin(origin text) returns text language sql immutable as $$
  select rtrim(substring(origin from '^https?://(\[[^]]*\]|[^:/]*)'), '.')
$$;
