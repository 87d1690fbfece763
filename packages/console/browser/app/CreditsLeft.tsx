import { useNumbers } from "../i18n/numbers.ts"
import { useTexts } from "../i18n/texts.ts"
import { readUsage, usageKey } from "../requests/sharedRequests.ts"
import { useRequest } from "../requests/useRequest.ts"
import styles from "./CreditsLeft.module.css"
import { frameTexts } from "./texts.ts"

export const CreditsLeft = () => {
  const texts = useTexts(frameTexts)
  const { integer } = useNumbers()
  const usage = useRequest(usageKey, readUsage, { refreshMs: 60_000 })
  if (usage.state !== "loaded") return null
  const { adjusted, allotted, left } = usage.data.credits
  const isLow = left * 10 < allotted + adjusted
  return (
    <span className={styles["credits"]}>
      <span className={`bold ${isLow ? "bad" : ""}`}>{integer(left)}</span>
      <span className={`soft small ${styles["unit"]}`}>{texts.credits}</span>
    </span>
  )
}
