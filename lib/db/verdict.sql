-- How a function that Workers call begins its answer: with what it decided, by a name such as `changed` or `unknown_price`.
-- Whatever else belongs to the answer is added to it with `||`.
create function verdict(name text) returns jsonb language sql stable as $$
  select jsonb_build_object('verdict', name)
$$;
