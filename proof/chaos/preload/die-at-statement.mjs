// Loaded into a process of the product with NODE_OPTIONS=--import: kills it, as kill -9 does, at a statement that FAILPOINT
// describes. Nothing of it is in the product: it wraps the database driver's one way to send statements.

import { writeSync } from "node:fs"
import pg from "pg"

const given = process.env["FAILPOINT"]
if (given) {
  const { name, moment, statement, within, hit } = JSON.parse(given)
  const [isIt, isWithin] = [new RegExp(statement), within && new RegExp(within)]
  // What a client has sent since its transaction began.
  const sent = new WeakMap()
  let left = hit

  const die = () => {
    writeSync(2, `failpoint ${name}\n`)
    process.kill(process.pid, "SIGKILL")
  }

  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (config, ...rest) {
    const text = String(config?.text ?? config)
      .replaceAll('"', "")
      .replaceAll(/\s+/g, " ")
      .trim()
      .toLowerCase()
    if (text.startsWith("begin")) sent.set(this, [])
    const earlier = sent.get(this) ?? []
    const isHit = isIt.test(text) && (!isWithin || earlier.some((other) => isWithin.test(other)))
    earlier.push(text)
    if (!isHit || --left > 0) return query.call(this, config, ...rest)
    if (moment === "before") die()
    const answer = query.call(this, config, ...rest)
    // Handed to the system by then; its answer can not have been read.
    if (moment === "sent") setImmediate(die)
    return moment === "after" ? answer.finally(die) : answer
  }
}
