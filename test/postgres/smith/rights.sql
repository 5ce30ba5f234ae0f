-- rights.sql - of the roles that run the random statements: nobody whom row security passes by, and nobody who owns a table. The
-- registrar may use what PUBLIC may not, so that the extension's trigger functions have to refuse a table by themselves.

GRANT hbscore_scorer TO smith_scorer, smith_owner;
GRANT hbscore_registrar TO smith_registrar;
GRANT smith_scorer, smith_registrar TO smith_member;
GRANT USAGE ON SCHEMA plain TO smith_scorer, smith_registrar, smith_owner;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public, plain TO smith_scorer, smith_registrar, smith_owner;
GRANT ALL ON SEQUENCE numbers TO smith_member, smith_scorer, smith_registrar;
GRANT USAGE ON FOREIGN SERVER here, ships TO smith_scorer, smith_registrar;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA hbscore TO smith_registrar;
DO $$
BEGIN
    EXECUTE format('GRANT CREATE ON DATABASE %I TO smith_scorer, smith_registrar', current_database());
END $$;
