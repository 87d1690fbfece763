import { QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { RouterProvider } from "react-aria-components"
import { AccessProvider } from "../access/Access.tsx"
import { LanguageProvider } from "../i18n/LanguageProvider.tsx"
import { makeQueryClient } from "../requests/queryClient.ts"
import { navigate } from "../router/location.ts"
import { toAddress } from "../router/route.ts"
import { ProblemState } from "../widgets/states.tsx"
import { Toasts } from "../widgets/toasts.tsx"
import { OtherAccount } from "./OtherAccount.tsx"
import { Pages } from "./Pages.tsx"
import { PlainFrame } from "./PlainFrame.tsx"

const queryClient = makeQueryClient()

/** Follows links within the console without a reload, and leaves absolute URLs to the browser. */
const ConsoleRouter = ({ children }: { readonly children: ReactNode }) => (
  <RouterProvider
    navigate={(path) => navigate(path)}
    useHref={(href) => href.startsWith("/") ? toAddress(href) : href}
  >
    {children}
  </RouterProvider>
)

const unreachableProblem = { kind: "unreachable", message: undefined, requestId: undefined, isRetryable: true } as const

export const App = () => (
  <QueryClientProvider client={queryClient}>
    <LanguageProvider>
      <ConsoleRouter>
        <AccessProvider
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
        <Toasts />
      </ConsoleRouter>
    </LanguageProvider>
  </QueryClientProvider>
)
