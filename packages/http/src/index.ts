export { AdminToken } from "./authorization.ts"
export { Draining } from "./edge.ts"
export { Readiness } from "./handlers/public.ts"
export { type HttpSettings, layerRoutes } from "./layer.ts"
