import { QueryClientProvider } from "@tanstack/react-query"
import type { Language } from "@tapeline/core/specifications"
import { type ReactNode, useState } from "react"
import { RouterProvider } from "react-aria-components"
import { AccessProvider, type InitialAccess } from "../access/Access.tsx"
import { isAdminPath } from "../access/adminPath.ts"
import { LanguageProvider } from "../i18n/LanguageProvider.tsx"
import { makeQueryClient } from "../requests/queryClient.ts"
import { navigate, useLocation } from "../router/location.ts"
import { toAddress } from "../router/route.ts"
import { ProblemState } from "../widgets/states.tsx"
import { Toasts } from "../widgets/toasts.tsx"
import { AdminArea, useAdminTokenExpiry } from "./AdminArea.tsx"
import { OtherAccount } from "./OtherAccount.tsx"
import { Pages } from "./Pages.tsx"
import { PlainFrame } from "./PlainFrame.tsx"

/** The cache of responses that all pages share. */
export const queryClient = makeQueryClient()

/** Follows links within the console without a reload, and leaves absolute URLs to the browser. */
const ConsoleRouter = ({ children }: { readonly children: ReactNode }) => (
  <RouterProvider
    navigate={(path) => navigate(path)}
    useHref={(href) => href.startsWith("/") ? toAddress(href) : href}
  >
    {children}
  </RouterProvider>
)

interface AppProps {
  readonly language: Language
  /** The access that was detected before the first render. If undefined, the app detects the access. */
  readonly initialAccess: InitialAccess | undefined
}

const unreachableProblem = { kind: "unreachable", message: undefined, requestId: undefined, isRetryable: true } as const

/** The admin area, or the pages of the signed-in user. */
const Content = ({ initialAccess }: Pick<AppProps, "initialAccess">) => {
  const { path } = useLocation()
  const [access, setAccess] = useState(initialAccess)
  useAdminTokenExpiry()
  if (isAdminPath(path)) {
    // After a visit to the admin area, the access is detected again, because the user may have signed in or out before.
    if (access !== undefined) setAccess(undefined)
    return <AdminArea />
  }
  return (
    <AccessProvider
      initial={access}
      waiting={<PlainFrame />}
      renderOther={(change) => <OtherAccount {...change} />}
      renderUnreachable={(retry) => (
        <PlainFrame>
          <ProblemState isPage problem={unreachableProblem} onRetry={retry} />
        </PlainFrame>
      )}
    >
      <Pages />
    </AccessProvider>
  )
}

export const App = ({ initialAccess, language }: AppProps) => (
  <QueryClientProvider client={queryClient}>
    <LanguageProvider initial={language}>
      <ConsoleRouter>
        <Content initialAccess={initialAccess} />
        <Toasts />
      </ConsoleRouter>
    </LanguageProvider>
  </QueryClientProvider>
)
