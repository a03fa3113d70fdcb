// The pages of the console. Each section is loaded when it is opened: the explorer carries none of them.

import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { readFilters, readPlace } from "./read-paging"
import { rootRoute } from "./root-route"

const chains = createRoute({
  getParentRoute: () => rootRoute,
  path: "/console",
  component: lazyRouteComponent(() => import("../console/frame/chains-page"), "ChainsPage"),
})

const chain = createRoute({
  getParentRoute: () => rootRoute,
  path: "/console/$chain",
  component: lazyRouteComponent(() => import("../console/frame/console-pages"), "ConsolePages"),
})

const overview = createRoute({
  getParentRoute: () => chain,
  path: "/",
  validateSearch: readPlace,
  component: lazyRouteComponent(() => import("../console/overview/overview-page"), "OverviewPage"),
})

const map = createRoute({
  getParentRoute: () => chain,
  path: "/map",
  validateSearch: readPlace,
  component: lazyRouteComponent(() => import("../console/map/map-page"), "MapPage"),
})

const work = createRoute({
  getParentRoute: () => chain,
  path: "/work",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("../console/leases/work-page"), "WorkPage"),
})

const incidents = createRoute({
  getParentRoute: () => chain,
  path: "/incidents",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("../console/incidents/incidents-page"), "IncidentsPage"),
})

const nodes = createRoute({
  getParentRoute: () => chain,
  path: "/nodes",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("../console/nodes/nodes-page"), "NodesPage"),
})

const store = createRoute({
  getParentRoute: () => chain,
  path: "/store",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("../console/store/store-page"), "StorePage"),
})

const audit = createRoute({
  getParentRoute: () => chain,
  path: "/audit",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("../console/audit/audit-page"), "AuditPage"),
})

export const consoleRoutes = [
  chains,
  chain.addChildren([overview, map, work, incidents, nodes, store, audit]),
] as const
