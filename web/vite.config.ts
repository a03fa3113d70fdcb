// The pages: built into dist/web by scripts/build-pages.mjs. `npx vite web` serves them for development, with the API of a
// Tidemark that runs on port 8080.

import { fileURLToPath } from "node:url"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const api = ["/v1", "/status", "/graphql", "/graphiql", "/docs", "/openapi.json", "/admin"]

/** Left to the pages that have them: parts of single things, of plots, the list of keys. */
const rare = [
  ...[
    "absent",
    "facts",
    "finality",
    "format-bytes",
    "key-list",
    "keys.module",
    "live-notice",
    "rolled-back",
    "search-page",
    "tabs",
  ],
  ...["token-name", "use-as-read", "use-media", "use-theme", "use-width"],
].join("|")
const needed = new RegExp(`web[\\\\/]src[\\\\/](app|data|keys|lists|live|parts|search|shell)[\\\\/](?!${rare})`)

export default defineConfig({
  root: here("."),
  plugins: [react()],
  resolve: { alias: { "tidemark/client": here("../src/client/client.ts") } },
  css: { modules: { generateScopedName: "[local]-[hash:base64:5]" } },
  build: {
    outDir: here("../dist/web"),
    emptyOutDir: true,
    // Read by the test that weighs the first load.
    manifest: "manifest.json",
    target: "es2023",
    // An inlined font or image would be a `data:` URL, and in every page that shares the chunk.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        // What every page needs, in two pieces: they compress better than many, and the first stays in caches when the pages
        // change.
        codeSplitting: {
          groups: [
            { name: "vendor", test: /node_modules[\\/](react|react-dom|scheduler|@tanstack)[\\/]/ },
            { name: "parts", test: needed },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(api.map((path) => [path, "http://127.0.0.1:8080"])) },
})
