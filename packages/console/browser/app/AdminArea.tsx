import { Suspense, useEffect } from "react"
import { adminPath } from "../access/adminPath.ts"
import { adminToken, useAdminToken } from "../access/adminToken.ts"
import { presenceEvents } from "../requests/presence.ts"
import { deferComponent } from "../router/deferComponent.ts"
import { Skeleton } from "../widgets/states.tsx"
import { PageErrorBoundary } from "./PageErrorBoundary.tsx"
import { PlainFrame } from "./PlainFrame.tsx"

const { Component: AdminPage, preload } = deferComponent(
  adminPath,
  async () => (await import("../pages/admin/AdminPage.tsx")).AdminPage
)

export const preloadAdminArea = preload

/**
 * Forgets the admin token after a time without input, and when the user leaves the page. Otherwise a browser could
 * restore the page with its token when the user goes back.
 */
export const useAdminTokenExpiry = (): void =>
  useEffect(() => {
    for (const event of presenceEvents) addEventListener(event, adminToken.noteInput, { capture: true, passive: true })
    addEventListener("pagehide", adminToken.forget)
    return () => {
      for (const event of presenceEvents) removeEventListener(event, adminToken.noteInput, { capture: true })
      removeEventListener("pagehide", adminToken.forget)
    }
  }, [])

/** The admin area. The script of the admin area is loaded at the first visit, and needs no user session. */
export const AdminArea = () => (
  <PageErrorBoundary canReload={useAdminToken() === undefined}>
    <Suspense
      fallback={
        <PlainFrame>
          <Skeleton lines={6} />
        </PlainFrame>
      }
    >
      <AdminPage />
    </Suspense>
  </PageErrorBoundary>
)
