// The page at /graphql: a query, its answer, and the schema beside them. It keeps the last query in this browser.

const at = (id) => document.getElementById(id)
const [query, variables, result, state, chain] = ["query", "variables", "result", "state", "chain"].map(at)
const named = location.pathname.split("/")[2]

const example = `{
  _meta {
    block { number hash timestamp }
    watermark
    partial
  }
  blocks(first: 5) {
    nodes {
      height
      hash
      timestamp
      transaction_count
    }
    pageInfo { hasNextPage endCursor }
  }
}
`

const schemaQuery = `{
  __schema {
    types {
      name
      kind
      description
      fields { name description type { ...type } args { name description type { ...type } } }
      inputFields { name description type { ...type } }
      enumValues { name }
    }
  }
}
fragment type on __Type { name kind ofType { name kind ofType { name kind ofType { name kind } } } }`

async function ask(body) {
  const response = await fetch(`/graphql/${chain.value}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  })
  return response.json()
}

function say(text, hasFailed = false) {
  state.textContent = text
  state.classList.toggle("failed", hasFailed)
}

let runs = 0

async function run() {
  // The chains are not known yet: when they are, it runs.
  if (chain.value === "") return
  const mine = ++runs
  at("run").disabled = true
  say("asking")
  const started = performance.now()
  try {
    localStorage.setItem("tidemark-graphql", query.value)
    const answer = await ask({ query: query.value, variables: JSON.parse(variables.value || "{}") })
    // A later one was asked meanwhile.
    if (mine !== runs) return
    result.value = JSON.stringify(answer, null, 2)
    const failed = answer.errors?.length ?? 0
    const took = `${Math.round(performance.now() - started)} ms`
    say(failed > 0 ? `${failed} ${failed === 1 ? "error" : "errors"}, ${took}` : took, failed > 0)
  } catch (error) {
    if (mine !== runs) return
    result.value = String(error)
    say("no answer", true)
  }
  at("run").disabled = false
}

// The schema, type by type.

let types = new Map()
let trail = ["Query"]

const print = (type) => {
  if (type.kind === "NON_NULL") return `${print(type.ofType)}!`
  return type.kind === "LIST" ? `[${print(type.ofType)}]` : type.name
}
const inner = (type) => (type.ofType ? inner(type.ofType) : type.name)
const hasFields = (name) => {
  const type = types.get(name)
  return Boolean(type?.fields || type?.inputFields || type?.enumValues)
}

function element(tag, text, options = {}) {
  const made = Object.assign(document.createElement(tag), options)
  made.textContent = text
  return made
}

const link = (text, name, path) =>
  hasFields(name)
    ? element("button", text, { className: "link", type: "button", onclick: () => open([...path, name]) })
    : element("code", text)

function entry({ name, description, type, args = [] }) {
  const article = document.createElement("article")
  article.append(element("code", `${name} `), link(print(type), inner(type), trail))
  if (args.length > 0) {
    const line = document.createElement("p")
    for (const [index, arg] of args.entries())
      line.append(`${index > 0 ? ", " : ""}${arg.name}: `, link(print(arg.type), inner(arg.type), trail))
    article.append(line)
  }
  if (description) article.append(element("p", description))
  return article
}

function open(path) {
  trail = path
  at("trail").replaceChildren(
    ...path.flatMap((name, index) => [
      index > 0 ? " › " : "",
      element("button", name, { className: "link", type: "button", onclick: () => open(path.slice(0, index + 1)) }),
    ]),
  )
  show()
}

function show() {
  const wanted = at("find").value.trim().toLowerCase()
  const type = types.get(trail.at(-1))
  if (!type) return
  const entries = type.fields ?? type.inputFields ?? []
  // Those that are called so come first.
  const called = entries.filter((one) => one.name.includes(wanted))
  const found = [...called, ...entries.filter((one) => !called.includes(one) && columnsHave(one, wanted))]
  const values = (type.enumValues ?? []).map(({ name }) => element("article", name))
  at("fields").replaceChildren(
    ...(type.description ? [element("p", type.description)] : []),
    ...found.map(entry),
    ...values,
  )
}

/** A table is found by its columns too. */
function columnsHave(field, wanted) {
  if (wanted === "" || trail.length > 1) return false
  const direct = types.get(inner(field.type))
  const nodes = direct?.fields?.find(({ name }) => name === "nodes")
  const row = nodes ? types.get(inner(nodes.type)) : direct
  return Boolean(row?.fields?.some((one) => one.name.includes(wanted) && !hasFields(inner(one.type))))
}

async function readSchema() {
  const { data, errors } = await ask({ query: schemaQuery })
  if (!data) return say(errors?.[0]?.message ?? "the schema cannot be read", true)
  types = new Map(data.__schema.types.map((type) => [type.name, type]))
  open(["Query"])
}

at("run").onclick = run
at("find").oninput = show
chain.onchange = () => {
  history.replaceState(null, "", `/graphql/${chain.value}`)
  void readSchema()
}
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") void run()
})

query.value = localStorage.getItem("tidemark-graphql") || example
try {
  const { data } = await (await fetch("/v1/chains")).json()
  chain.replaceChildren(...data.map((one) => element("option", one.chain, { value: one.chain })))
  if (named && data.some((one) => one.chain === named)) chain.value = named
  await readSchema()
  await run()
} catch (error) {
  say(String(error), true)
}
