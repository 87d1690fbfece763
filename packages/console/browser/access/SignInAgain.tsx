import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { useLanguage } from "../i18n/LanguageProvider.tsx"
import { useTexts } from "../i18n/texts.ts"
import { makeClient } from "../requests/makeClient.ts"
import { rememberReturnPath } from "../router/returnPath.ts"
import { toPath } from "../router/route.ts"
import { Button } from "../widgets/Button.tsx"
import { useAccess } from "./Access.tsx"
import { accessWords } from "./texts.ts"

/**
 * Shows how to sign in again in the same way as before: with the OpenID provider or with a new sign-in link. After the
 * sign-in in this tab, the current page opens again.
 */
export const SignInAgain = () => {
  const texts = useTexts(accessWords)
  const { language } = useLanguage()
  const { credentials } = useAccess()
  const usesProvider = credentials.kind === "session" && credentials.account.session.signed_in_by === "openid"
  const { data, isPending } = useQuery({
    queryKey: ["ways to sign in"],
    queryFn: ({ signal }) => makeClient(undefined, language).account.signInWays({ signal, timeout_ms: 10_000 }),
    enabled: usesProvider
  })
  useEffect(() => rememberReturnPath(toPath(location.pathname) + location.search), [])
  if (usesProvider && isPending) return null
  const provider = data?.openid ?? null
  if (!usesProvider || provider === null) return <p>{texts.againByLink}</p>
  return (
    <div className="column gap-2">
      <div>
        <Button variant="primary" onPress={() => location.assign(`${provider.url}?again=true`)}>
          {texts.againByProvider(provider.label)}
        </Button>
      </div>
      <p className="soft">{texts.againReturn}</p>
    </div>
  )
}
