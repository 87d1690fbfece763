import { useSyncExternalStore } from "react"
import { type AdminSignInEnd, AdminTokenHolder, type HeldToken } from "./AdminTokenHolder.ts"

/** The admin token of this tab. */
export const adminToken = new AdminTokenHolder()

/** Returns the admin token of this tab; undefined if the tab has none. */
export const useAdminToken = (): HeldToken | undefined =>
  useSyncExternalStore(adminToken.subscribe, adminToken.current, adminToken.current)

/** Returns why the page forgot the last admin token; undefined if the user signed out. */
export const useAdminSignInEnd = (): AdminSignInEnd | undefined =>
  useSyncExternalStore(adminToken.subscribe, adminToken.currentEnd, adminToken.currentEnd)
