-- Signs out. Does nothing if there is no such session.
create function end_console_session(session_hash text) returns void language plpgsql security definer as $$
begin
  delete from console_sessions s where s.token_hash = session_hash;
end $$;
