import { useQuery } from "@tanstack/react-query"
import { clientOf } from "../../asking/service.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { useWords } from "../../words/words.ts"
import styles from "./ByProvider.module.css"
import { signInWords } from "./words.ts"

/** The way in by a provider, where there is one. That it cannot be asked for takes no other way from anybody. */
export const ByProvider = () => {
  const says = useWords(signInWords)
  const { language } = useLanguage()
  const { data } = useQuery({
    queryKey: ["ways to sign in"],
    queryFn: ({ signal }) => clientOf(undefined, language).account.ways({ signal, timeout_ms: 10_000 })
  })
  const provider = data?.openid ?? null
  return provider === null
    ? null
    : <a className={styles["way"]} href={provider.url}>{says.byProvider(provider.label)}</a>
}
