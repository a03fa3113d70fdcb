// Every page with its address. A page's code is loaded when it is opened, or when the pointer rests on a link to it.

import type { QueryClient } from "@tanstack/react-query"
import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from "@tanstack/react-router"
import { apiQuery, pageQuery } from "../data/api-query"
import { chainsQuery } from "../data/chains-query"
import { latestShown } from "../home/latest-shown"
import { ChainPages } from "./chain-pages"
import { consoleRoutes } from "./console-routes"
import { PageFailed } from "./page-failed"
import { readPaging, readParts, readQuery } from "./read-paging"
import { rootRoute } from "./root-route"
import { Start } from "./start"

const start = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: Start,
  beforeLoad: async ({ context }) => {
    // What goes wrong is shown by the page.
    const [first] = await context.queryClient.ensureQueryData(chainsQuery).catch(() => [])
    if (first) throw redirect({ to: "/$chain", params: { chain: first.chain }, replace: true })
  },
})

const chainRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/$chain",
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(chainsQuery)
  },
  component: ChainPages,
})

const home = createRoute({
  getParentRoute: () => chainRoute,
  path: "/",
  loader: ({ context, params: { chain } }) => {
    void context.queryClient.prefetchQuery(pageQuery(chain, "/blocks", { limit: latestShown }))
    void context.queryClient.prefetchQuery(pageQuery(chain, "/transactions", { limit: latestShown }))
  },
  component: lazyRouteComponent(() => import("../home/home-page"), "HomePage"),
})

const blocks = createRoute({
  getParentRoute: () => chainRoute,
  path: "/blocks",
  validateSearch: readPaging,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(pageQuery(params.chain, "/blocks", { cursor: deps.cursor }))
  },
  component: lazyRouteComponent(() => import("../blocks/blocks-page"), "BlocksPage"),
})

const block = createRoute({
  getParentRoute: () => chainRoute,
  path: "/blocks/$block",
  validateSearch: readParts,
  loader: ({ context, params: { chain, block } }) => {
    void context.queryClient.prefetchQuery(apiQuery(chain, "/blocks/{block}", { block }))
  },
  component: lazyRouteComponent(() => import("../blocks/block-page"), "BlockPage"),
})

const transactions = createRoute({
  getParentRoute: () => chainRoute,
  path: "/transactions",
  validateSearch: readPaging,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(pageQuery(params.chain, "/transactions", { cursor: deps.cursor }))
  },
  component: lazyRouteComponent(() => import("../transactions/transactions-page"), "TransactionsPage"),
})

const transaction = createRoute({
  getParentRoute: () => chainRoute,
  path: "/transactions/$hash",
  validateSearch: readParts,
  loader: ({ context, params: { chain, hash } }) => {
    void context.queryClient.prefetchQuery(apiQuery(chain, "/transactions/{hash}", { hash }))
  },
  component: lazyRouteComponent(() => import("../transactions/transaction-page"), "TransactionPage"),
})

const account = createRoute({
  getParentRoute: () => chainRoute,
  path: "/accounts/$address",
  validateSearch: readParts,
  loader: ({ context, params: { chain, address } }) => {
    void context.queryClient.prefetchQuery(apiQuery(chain, "/accounts/{address}", { address }))
  },
  component: lazyRouteComponent(() => import("../accounts/account-page"), "AccountPage"),
})

const tokens = createRoute({
  getParentRoute: () => chainRoute,
  path: "/tokens",
  validateSearch: readParts,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps: { tab, cursor } }) => {
    const sort = tab === "transfers" ? "transfers" : "holders"
    void context.queryClient.prefetchQuery(pageQuery(params.chain, "/tokens", { sort, cursor }))
  },
  component: lazyRouteComponent(() => import("../tokens/tokens-page"), "TokensPage"),
})

const token = createRoute({
  getParentRoute: () => chainRoute,
  path: "/tokens/$contract",
  validateSearch: readParts,
  loader: ({ context, params: { chain, contract } }) => {
    void context.queryClient.prefetchQuery(apiQuery(chain, "/tokens/{contract}", { contract }))
  },
  component: lazyRouteComponent(() => import("../tokens/token-page"), "TokenPage"),
})

const collections = createRoute({
  getParentRoute: () => chainRoute,
  path: "/collections",
  validateSearch: readParts,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps: { tab, cursor } }) => {
    const sort = tab === "transfers" ? "transfers" : "items"
    void context.queryClient.prefetchQuery(pageQuery(params.chain, "/collections", { sort, cursor }))
  },
  component: lazyRouteComponent(() => import("../collections/collections-page"), "CollectionsPage"),
})

const collection = createRoute({
  getParentRoute: () => chainRoute,
  path: "/collections/$contract",
  validateSearch: readParts,
  loader: ({ context, params: { chain, contract } }) => {
    void context.queryClient.prefetchQuery(apiQuery(chain, "/collections/{contract}", { contract }))
  },
  component: lazyRouteComponent(() => import("../collections/collection-page"), "CollectionPage"),
})

const item = createRoute({
  getParentRoute: () => chainRoute,
  path: "/collections/$contract/$item",
  loader: ({ context, params: { chain, contract, item } }) => {
    void context.queryClient.prefetchQuery(apiQuery(chain, "/collections/{contract}/items/{item}", { contract, item }))
  },
  component: lazyRouteComponent(() => import("../collections/item-page"), "ItemPage"),
})

const stats = createRoute({
  getParentRoute: () => chainRoute,
  path: "/stats",
  component: lazyRouteComponent(() => import("../stats/stats-page"), "StatsPage"),
})

const search = createRoute({
  getParentRoute: () => chainRoute,
  path: "/search",
  validateSearch: readQuery,
  component: lazyRouteComponent(() => import("../search/search-page"), "SearchPage"),
})

const chainPages = chainRoute.addChildren([
  ...([home, blocks, block, transactions, transaction, account] as const),
  ...([tokens, token, collections, collection, item, stats, search] as const),
])
const tree = rootRoute.addChildren([start, ...consoleRoutes, chainPages])

export const createPageRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { queryClient },
    // Words as they are: no quotes around digits.
    parseSearch: parseSearchWith((text) => text),
    stringifySearch: stringifySearchWith(JSON.stringify),
    defaultPreload: "intent",
    // The queries know how old they are.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: PageFailed,
  })

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPageRouter>
  }
}
