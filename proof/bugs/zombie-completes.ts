import type { Bug } from "./bug.js"

export const zombieCompletes: Bug = {
  hazard: "H1",
  does: "A commit completes its lease by id alone, whoever holds it by now.",
  patches: [
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "where (id, epoch) in (select * from unnest($1::int8[], $2::uuid[])) and status = 'ACTIVE' and from_height = $3 and to_height = $4",
      replace:
        "where id in (select id from unnest($1::int8[], $2::uuid[]) as token (id, epoch)) and from_height = $3 and to_height = $4",
    },
  ],
  caughtBy: { by: "simulation", seeds: 200, notices: ["fence"] },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "a late commit cannot complete, and a late release cannot fail, the successor's lease",
  },
}
