-- Stores the amount that a preview shows: from now on its quote can be requested.
create function record_plan_quote(owner_id uuid, change_id uuid, due_now bigint) returns jsonb language plpgsql security definer as $$
begin
  update plan_changes c set due_now = record_plan_quote.due_now where (c.owner_id, c.id) = (record_plan_quote.owner_id, change_id);
  return to_jsonb(found);
end $$;
