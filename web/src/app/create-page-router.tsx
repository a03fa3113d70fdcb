// Every page with its address. A page's code is loaded when it is opened, or when the pointer rests on a link to it.

import type { QueryClient } from "@tanstack/react-query"
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router"
import { pageQuery } from "../data/api-query"
import { chainsQuery } from "../data/chains-query"
import { ChainPages } from "./chain-pages"
import { NoPage } from "./no-page"
import { PageFailed } from "./page-failed"
import { readPaging } from "./read-paging"
import { Start } from "./start"

interface PageContext {
  readonly queryClient: QueryClient
}

const root = createRootRouteWithContext<PageContext>()({ component: Outlet, notFoundComponent: NoPage })

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: Start,
  beforeLoad: async ({ context }) => {
    // What goes wrong is shown by the page.
    const [first] = await context.queryClient.ensureQueryData(chainsQuery).catch(() => [])
    if (first) throw redirect({ to: "/$chain", params: { chain: first.chain }, replace: true })
  },
})

const chainRoute = createRoute({ getParentRoute: () => root, path: "/$chain", component: ChainPages })

const home = createRoute({
  getParentRoute: () => chainRoute,
  path: "/",
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
  validateSearch: readPaging,
  loader: ({ context, params }) => {
    const { block } = params
    void context.queryClient.prefetchQuery(pageQuery(params.chain, "/blocks/{block}", { block }))
  },
  component: lazyRouteComponent(() => import("../blocks/block-page"), "BlockPage"),
})

const tree = root.addChildren([start, chainRoute.addChildren([home, blocks, block])])

export const createPageRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { queryClient },
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
