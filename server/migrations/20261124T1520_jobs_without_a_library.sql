-- Synchronizations are claimed in credential_sources. Runs that a job library had in its queue are due at once or when
-- their retry was due; the schema of the library goes.
DO $$
BEGIN
  IF to_regclass('jobs.job') IS NOT NULL THEN
    LOCK TABLE jobs.job IN ACCESS EXCLUSIVE MODE;
    UPDATE credential_sources s SET next_run_at = least(s.next_run_at, j.start_after)
    FROM jobs.job j
    WHERE j.name = 'credential-sync' AND j.state::text IN ('created', 'retry', 'active')
      AND s.credential_id = (j.data ->> 'credentialId')::bigint;
    DROP SCHEMA jobs CASCADE;
  END IF;
END
$$;
