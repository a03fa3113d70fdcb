// Bundles the program in the directory given, with its packages: a few files load several times as fast as some 1,500,
// and every thread loads them again. The program is in one folder, as deep as the folders of `src`, so that what code
// looks for beside its own file is found in both.

import { join } from "node:path"
import { rolldown } from "rolldown"

const [directory] = process.argv.slice(2)
const entries = {
  config: "config.ts",
  main: "cli/main.ts",
  "ingest-thread": "roles/ingest-thread.ts",
  "work-thread": "roles/work-thread.ts",
  "serve-thread": "roles/serve-thread.ts",
}

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(directory, "src", path)])),
  cwd: directory,
  platform: "node",
  // Those that read files beside their own, and the database driver, which tracing tools wrap.
  external: ["jiti", "@fastify/swagger-ui", "pg"],
})
await bundle.write({
  dir: join(directory, "dist"),
  format: "esm",
  entryFileNames: ({ name }) => (name === "config" ? "config.js" : "program/[name].js"),
  chunkFileNames: "program/[name].js",
})
await bundle.close()

// What programs of users import, also in browsers: one file, without anything of the program.
const client = await rolldown({ input: join(directory, "src", "client", "client.ts"), platform: "neutral" })
await client.write({ file: join(directory, "dist", "client.js"), format: "esm" })
await client.close()
