import { usageKey } from "../asking/usageKey.ts"
import { useAsk } from "../asking/useAsk.ts"
import { useNumbers } from "../words/numbers.ts"
import { useWords } from "../words/words.ts"
import styles from "./Credits.module.css"
import { frameWords } from "./words.ts"

/** The remaining credits of the month. */
export const Credits = () => {
  const says = useWords(frameWords)
  const { whole } = useNumbers()
  const usage = useAsk(usageKey, (client, options) => client.usage({}, options), { everyMs: 60_000 })
  if (usage.state !== "told") return null
  const { allotted, left } = usage.data.credits
  const isLow = left * 10 < allotted
  return (
    <span className={styles["credits"]}>
      <span className={`${styles["left"]} ${isLow ? styles["low"] : ""}`}>{whole(left)}</span>
      <span className={styles["unit"]}>{says.credits}</span>
    </span>
  )
}
