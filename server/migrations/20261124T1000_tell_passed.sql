-- Tells whoever waits for a long statement that another part of its rows has passed: a message on the connection of the
-- statement, which arrives while that runs. Stores nothing. `place` is of the row for which it is asked, so that it is
-- asked where that row has been found.
CREATE FUNCTION tell_passed(place tid) RETURNS boolean LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED AS $$
BEGIN
  RAISE INFO 'tell_passed';
  RETURN true;
END
$$;
