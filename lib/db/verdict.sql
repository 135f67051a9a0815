-- The start of a function's result for Workers: its decision by name, such as `changed` or `unknown_price`. Further fields are added with
-- `||`.
create function verdict(name text) returns jsonb language sql stable as $$
  select jsonb_build_object('verdict', name)
$$;

-- The ids that a call is about, for the log line of its request: functions that Workers call add them to their result.
create function logged(
  user_id uuid default null, purchase_id uuid default null, checkout_id uuid default null, price_id text default null
) returns jsonb language sql stable as $$
  select jsonb_build_object('logged', jsonb_strip_nulls(jsonb_build_object(
    'user_id', user_id, 'purchase_id', purchase_id, 'checkout_id', checkout_id, 'price_id', price_id)))
$$;
