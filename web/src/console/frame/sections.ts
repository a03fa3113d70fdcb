// The sections of a chain's console, in the order of their tabs.

export const sections = [
  { to: "/console/$chain", name: "Overview" },
  { to: "/console/$chain/map", name: "Map" },
  { to: "/console/$chain/work", name: "Work" },
  { to: "/console/$chain/incidents", name: "Incidents" },
  { to: "/console/$chain/nodes", name: "Nodes" },
  { to: "/console/$chain/store", name: "Store" },
  { to: "/console/$chain/audit", name: "Audit" },
] as const
