import { isClientError } from "@tapeline/client"
import { useEffect, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { makeClient } from "../../requests/makeClient.ts"
import { toProblem } from "../../requests/problem.ts"
import { leaveSignInPage } from "./leaveSignInPage.ts"
import { clearLinkFromAddress, parseLinkSecret } from "./link.ts"

/** The state of signing in with a link; null if the address contained no link. */
export type LinkSignIn =
  | null
  | { readonly state: "asked"; readonly link: string }
  | { readonly state: "running" }
  | { readonly state: "refused" | "failed"; readonly message: string }

export interface LinkSignInControls {
  readonly linkSignIn: LinkSignIn
  /** Uses the link, which works once. */
  readonly signInWithLink: (link: string) => void
  readonly discard: () => void
}

const parseLink = (hash: string): LinkSignIn => {
  const link = parseLinkSecret(hash)
  return link === undefined ? null : { state: "asked", link }
}

/**
 * The sign-in link in the fragment of the address. It is removed from the address immediately, and used only after the
 * user confirms: any site can lead a browser to such an address.
 */
export const useLinkSignIn = (): LinkSignInControls => {
  const { acceptSession } = useAccess()
  const { language } = useLanguage()
  const [linkSignIn, setLinkSignIn] = useState<LinkSignIn>(() => parseLink(location.hash))
  useEffect(() => {
    const readAddress = () => {
      const parsed = parseLink(location.hash)
      if (parsed !== null) setLinkSignIn(parsed)
      clearLinkFromAddress()
    }
    readAddress()
    addEventListener("hashchange", readAddress)
    return () => removeEventListener("hashchange", readAddress)
  }, [])
  const signInWithLink = (link: string) => {
    setLinkSignIn({ state: "running" })
    makeClient(undefined, language).account.signIn(link).then(
      (account) => {
        acceptSession(account)
        leaveSignInPage()
      },
      (error: unknown) =>
        setLinkSignIn({
          state: isClientError(error) && error._tag === "LinkRefused" ? "refused" : "failed",
          message: toProblem(error).message ?? ""
        })
    )
  }
  return { linkSignIn, signInWithLink, discard: () => setLinkSignIn(null) }
}
