// The root of all pages.

import type { QueryClient } from "@tanstack/react-query"
import { createRootRouteWithContext, Outlet } from "@tanstack/react-router"
import { NoPage } from "./no-page"

interface PageContext {
  readonly queryClient: QueryClient
}

export const rootRoute = createRootRouteWithContext<PageContext>()({ component: Outlet, notFoundComponent: NoPage })
