-- hbscore_pin: the version that a reference means now, with the beginning of its digest.
.nullvalue NULL
SELECT hbscore_register('churn', readfile('demo/models/cancer.json')), hbscore_register('churn', readfile('demo/models/wine.ubj'));
SELECT sha256 FROM hbscore_models ORDER BY version;
-- : the newest, a version, an alias, one that is pinned already
SELECT hbscore_pin('churn'), hbscore_pin('churn@1');
SELECT hbscore_deploy('churn', 1), hbscore_deploy('churn', 2, 'challenger');
SELECT hbscore_pin('churn'), hbscore_pin('churn@challenger'), hbscore_pin(hbscore_pin('churn')) = hbscore_pin('churn');
SELECT predict_json(hbscore_pin('churn@challenger'), '[14.23, 1.71, 2.43, 15.6, 127.0, 2.8, 3.06, 0.28, 2.29, 5.64, 1.04, 3.92, 1065.0]') ->> 'model';
-- : the longest name
SELECT hbscore_register(printf('%.*c', 255, 'x'), readfile('demo/models/wine.ubj'));
SELECT length(hbscore_pin(printf('%.*c', 255, 'x')));
-- S3: NULL
SELECT hbscore_pin(NULL);
-- S1, S2: references that find nothing or are none
SELECT hbscore_pin('chrun');
SELECT hbscore_pin('churn@9');
SELECT hbscore_pin('churn@1#0000000000000000');
SELECT hbscore_pin('');
SELECT hbscore_pin(1);
SELECT hbscore_pin();
-- : in a view of the file, which a statement of the application's own reads; not in an index
CREATE VIEW pinned AS SELECT hbscore_pin('churn') AS reference;
SELECT * FROM pinned;
SELECT hbscore_deploy('churn', 2);
SELECT * FROM pinned;
PRAGMA trusted_schema = OFF;
SELECT * FROM pinned;
CREATE TABLE names (name TEXT);
CREATE INDEX by_pin ON names (hbscore_pin(name));
-- : a row that is damaged
UPDATE hbscore_models SET sha256 = 'x' WHERE name = 'churn' AND version = 2;
SELECT hbscore_pin('churn@2');
SELECT hbscore_pin('churn@1');
