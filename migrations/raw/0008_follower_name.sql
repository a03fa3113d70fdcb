-- Why: host:pid named the process that follows the head, and two containers with one hostname are both host:1. From now on
-- followed_by is the process's uuid, which decides; the name beside it is for people. A process of an older release still
-- writes its name into followed_by: no uuid equals it, so neither takes the other for itself.

alter table raw.chain_state
  add column follower_name text;

update raw.chain_state set follower_name = followed_by;
