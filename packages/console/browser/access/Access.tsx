import { useQueryClient } from "@tanstack/react-query"
import { type Client, isClientError } from "@tapeline/client"
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react"
import { clientOf, patienceMs } from "../asking/service.ts"
import { useLanguage } from "../words/Languages.tsx"

/** By what the pages ask: a session of this browser, or a key that was pasted and stands in this page alone. */
export type Who =
  | { readonly by: "session"; readonly account: SignedIn }
  | { readonly by: "key"; readonly key: string }
  | {
    readonly by: "nothing"
    /** True where somebody was signed in until just now, and did not leave. */
    readonly lost: boolean
  }

export type SignedIn = Awaited<ReturnType<Client["account"]["read"]>>

/** A service without people who sign in knows no such address: there a key is the way in. */
const isNobody = (error: unknown): boolean =>
  isClientError(error) && (error._tag === "SessionRequired" || error._tag === "NotFound")

type Known = Who | { readonly by: "unknown" } | { readonly by: "unreachable" }

export interface Access {
  readonly who: Who
  /** Asks the service as who is signed in. */
  readonly client: Client
  /** Another for each sign-in: what is kept for one is shown to no other. */
  readonly identity: number
  readonly signedIn: (account: SignedIn) => void
  readonly byKey: (key: string) => void
  readonly leave: () => Promise<void>
  /** The service says that nobody is signed in any more. */
  readonly lost: () => void
}

const AccessContext = createContext<Access | undefined>(undefined)

/** Who is signed in, and the client that asks for them. */
export const useAccess = (): Access => {
  const access = use(AccessContext)
  if (access === undefined) throw new Error("Access stands around every page")
  return access
}

const useKnown = () => {
  const [known, setKnown] = useState<Known>({ by: "unknown" })
  const { language } = useLanguage()
  const began = useRef(false)
  const look = useCallback(() => {
    setKnown({ by: "unknown" })
    clientOf(undefined, language).account.read({ timeout_ms: patienceMs }).then(
      (account) => setKnown({ by: "session", account }),
      (error: unknown) => setKnown(isNobody(error) ? { by: "nothing", lost: false } : { by: "unreachable" })
    )
  }, [language])
  useEffect(() => {
    if (began.current) return
    began.current = true
    look()
  }, [look])
  return { known, setKnown, look }
}

/** Finds out who is signed in; `waiting` and `unreachable` stand for the pages until that is known. */
export const AccessProvider = ({ children, unreachable, waiting }: {
  readonly children: ReactNode
  readonly waiting: ReactNode
  readonly unreachable: (again: () => void) => ReactNode
}) => {
  const { known, look, setKnown } = useKnown()
  const [identity, setIdentity] = useState(0)
  const kept = useQueryClient()
  const { language } = useLanguage()
  const access = useMemo((): Access | undefined => {
    if (known.by === "unknown" || known.by === "unreachable") return undefined
    const become = (who: Who) => {
      kept.clear()
      setIdentity((before) => before + 1)
      setKnown(who)
    }
    return {
      who: known,
      client: clientOf(known.by === "key" ? known.key : undefined, language),
      identity,
      signedIn: (account) => become({ by: "session", account }),
      byKey: (key) => become({ by: "key", key }),
      leave: async () => {
        if (known.by === "session") await clientOf(undefined, language).account.signOut()
        become({ by: "nothing", lost: false })
      },
      lost: () => become({ by: "nothing", lost: known.by !== "nothing" })
    }
  }, [known, identity, kept, language, setKnown])
  if (known.by === "unreachable") return unreachable(look)
  return access === undefined ? waiting : <AccessContext value={access}>{children}</AccessContext>
}
