// Starts the pages.

import "./design/fonts.css"
import "./design/tokens.css"
import "./design/base.css"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { createPageRouter } from "./app/create-page-router"
import { createQueryClient } from "./data/create-query-client"

const queryClient = createQueryClient()
const router = createPageRouter(queryClient)

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
