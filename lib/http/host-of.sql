-- The host of an origin, as a request's host is compared: without a port, and without the dot that stands for the root.
create function host_of(origin text) returns text language sql immutable as $$
  select rtrim(substring(origin from '^https?://(\[[^]]*\]|[^:/]*)'), '.')
$$;
