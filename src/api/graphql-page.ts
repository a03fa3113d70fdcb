// The files of the page that asks GraphQL questions in a browser. All are ours: nothing is loaded from elsewhere.

import { readFile } from "node:fs/promises"

const types = {
  "page.html": "text/html; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
} as const

export type PageFile = keyof typeof types
export const pageFiles = Object.keys(types) as readonly PageFile[]

/** Two folders above this file, in the sources and in the program. */
const directory = new URL("../../assets/graphql/", import.meta.url)

export const readPageFile = async (file: PageFile): Promise<{ readonly type: string; readonly content: string }> => ({
  type: types[file],
  content: await readFile(new URL(file, directory), "utf8"),
})
