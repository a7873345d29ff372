-- Reports the progress of a long statement with a message on its connection. Unlike tell_passed it is IMMUTABLE, because
-- a distributed engine sends a statement to its nodes only without other functions. So the planner must not know the
-- line: pass a column. `place` is the ctid of the changed row, so that the function runs after the row was found.
CREATE FUNCTION report_line(line integer, place tid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL RESTRICTED AS $$
BEGIN
  RAISE INFO 'tell_passed';
  RETURN true;
END
$$;

-- Lock rows in the order of their ids. Each statement names one id, so that a distributed engine runs it on one node.
CREATE FUNCTION lock_credentials(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one bigint;
BEGIN
  FOR one IN SELECT DISTINCT u.id FROM unnest(ids) AS u (id) ORDER BY u.id LOOP
    PERFORM FROM credentials c WHERE c.credential_id = one FOR NO KEY UPDATE;
  END LOOP;
END
$$;

-- Keeps credentials from being deleted until the transaction ends, as a foreign key would.
CREATE FUNCTION share_credentials(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one bigint;
BEGIN
  FOR one IN SELECT DISTINCT u.id FROM unnest(ids) AS u (id) ORDER BY u.id LOOP
    PERFORM FROM credentials c WHERE c.credential_id = one FOR KEY SHARE;
  END LOOP;
END
$$;

CREATE FUNCTION lock_starboards(ids text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one text;
BEGIN
  FOR one IN SELECT DISTINCT u.id COLLATE "C" FROM unnest(ids) AS u (id) ORDER BY 1 LOOP
    PERFORM FROM starboards s WHERE s.starboard_id = one FOR NO KEY UPDATE;
  END LOOP;
END
$$;

CREATE FUNCTION lock_profiles(addresses text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one text;
BEGIN
  FOR one IN SELECT DISTINCT u.address COLLATE "C" FROM unnest(addresses) AS u (address) ORDER BY 1 LOOP
    PERFORM FROM profiles p WHERE p.address = one FOR NO KEY UPDATE;
  END LOOP;
END
$$;
