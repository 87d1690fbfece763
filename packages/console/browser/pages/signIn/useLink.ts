import { isClientError } from "@tapeline/client"
import { useEffect, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { clientOf } from "../../asking/service.ts"
import { troubleOf } from "../../asking/trouble.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { arrive } from "./arrive.ts"
import { linkIn, takeLink } from "./link.ts"

/** The state of signing in with a link; null if the address contained no link. */
export type Signing =
  | null
  | { readonly state: "asked"; readonly link: string }
  | { readonly state: "running" }
  | { readonly state: "refused" | "failed"; readonly says: string }

export interface ByLink {
  readonly signing: Signing
  /** Uses the link, which works once. */
  readonly sign: (link: string) => void
  readonly forget: () => void
}

const askedBy = (hash: string): Signing => {
  const link = linkIn(hash)
  return link === undefined ? null : { state: "asked", link }
}

/**
 * The sign-in link in the fragment of the address. It is removed from the address immediately, and used only after the
 * user confirms: any site can lead a browser to such an address.
 */
export const useLink = (): ByLink => {
  const { signedIn } = useAccess()
  const { language } = useLanguage()
  const [signing, setSigning] = useState<Signing>(() => askedBy(location.hash))
  useEffect(() => {
    const look = () => {
      const asked = askedBy(location.hash)
      if (asked !== null) setSigning(asked)
      takeLink()
    }
    look()
    addEventListener("hashchange", look)
    return () => removeEventListener("hashchange", look)
  }, [])
  const sign = (link: string) => {
    setSigning({ state: "running" })
    clientOf(undefined, language).account.signIn(link).then(
      (account) => {
        signedIn(account)
        arrive()
      },
      (error: unknown) =>
        setSigning({
          state: isClientError(error) && error._tag === "LinkRefused" ? "refused" : "failed",
          says: troubleOf(error).says ?? ""
        })
    )
  }
  return { signing, sign, forget: () => setSigning(null) }
}
