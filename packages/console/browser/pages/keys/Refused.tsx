import type { Trouble } from "../../asking/trouble.ts"
import { TroubleNote } from "../../widgets/states.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { keyDialogWords } from "./dialogWords.ts"
import type { KeyLimit } from "./keys.ts"
import styles from "./KeysPage.module.css"

/** The reason why a key was not issued or changed, with the remedies that the service names. */
export const Refused = ({ limit, trouble }: {
  readonly trouble: Trouble | undefined
  readonly limit: KeyLimit | undefined
}) => {
  const says = useWords(keyDialogWords)
  const { whole } = useNumbers()
  if (trouble === undefined) return null
  return (
    <div className={styles["refused"]}>
      <TroubleNote trouble={trouble} />
      {limit !== undefined && (
        <ul className={styles["ways"]}>
          {limit.ways_forward.map((way) =>
            way.action === "revoke"
              ? <li key="revoke">{says.limitRevoke}</li>
              : (
                <li key="upgrade">
                  {says.limitUpgrade} {way.plans.map(({ keys, plan }) => says.limitPlan(plan, whole(keys))).join(", ")}
                </li>
              )
          )}
        </ul>
      )}
    </div>
  )
}
