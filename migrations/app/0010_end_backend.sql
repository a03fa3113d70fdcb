-- Why: the sessions of holders that lost their leases are terminated, and one that may not be terminated must not stop the reaper.
-- The server decides who may: a role that sees the session may lack pg_signal_backend, or the session may be a superuser's.

-- Null where the session may not be ended.
create function app.end_backend(pid int4) returns boolean language plpgsql as $$
begin
  return pg_terminate_backend(pid);
exception when insufficient_privilege then
  return null;
end $$;
