import { QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { RouterProvider } from "react-aria-components"
import { AccessProvider } from "../access/Access.tsx"
import { makeKept } from "../asking/kept.ts"
import { navigate } from "../router/location.ts"
import { addressOf } from "../router/route.ts"
import { TroubleState } from "../widgets/states.tsx"
import { Toasts } from "../widgets/toasts.tsx"
import { Languages } from "../words/Languages.tsx"
import { Bare } from "./Bare.tsx"
import { OtherAccount } from "./OtherAccount.tsx"
import { Pages } from "./Pages.tsx"

const kept = makeKept()

/** Follows links within the console without a reload. The browser handles absolute URLs. */
const Routed = ({ children }: { readonly children: ReactNode }) => (
  <RouterProvider
    navigate={(path) => navigate(path)}
    useHref={(href) => href.startsWith("/") ? addressOf(href) : href}
  >
    {children}
  </RouterProvider>
)

const unreachable = { kind: "unreachable", says: undefined, request: undefined, again: true } as const

/** The root component: the providers, and the page of the current address. */
export const App = () => (
  <QueryClientProvider client={kept}>
    <Languages>
      <Routed>
        <AccessProvider
          waiting={<Bare />}
          other={(other) => <OtherAccount {...other} />}
          unreachable={(again) => (
            <Bare>
              <TroubleState isPage trouble={unreachable} again={again} />
            </Bare>
          )}
        >
          <Pages />
        </AccessProvider>
        <Toasts />
      </Routed>
    </Languages>
  </QueryClientProvider>
)
