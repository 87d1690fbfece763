import { SignInAgain } from "../../access/SignInAgain.tsx"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import type { Problem } from "../../requests/problem.ts"
import { ProblemNote } from "../../widgets/states.tsx"
import { keyDialogTexts } from "./dialogTexts.ts"
import type { KeyLimit } from "./keys.ts"
import styles from "./KeysPage.module.css"

export const KeyProblem = ({ limit, problem }: {
  readonly problem: Problem | undefined
  readonly limit: KeyLimit | undefined
}) => {
  const texts = useTexts(keyDialogTexts)
  const { integer } = useNumbers()
  if (problem === undefined) return null
  return (
    <div className="column gap-2">
      <ProblemNote problem={problem} />
      {problem.kind === "sign in again" && <SignInAgain />}
      {limit !== undefined && (
        <ul className={styles["ways"]}>
          {limit.ways_forward.map((option) =>
            option.action === "revoke"
              ? <li key="revoke">{texts.limitRevoke}</li>
              : (
                <li key="upgrade">
                  {texts.limitUpgrade}{" "}
                  {option.plans.map(({ keys, plan }) => texts.limitPlan(plan, integer(keys))).join(", ")}
                </li>
              )
          )}
        </ul>
      )}
    </div>
  )
}
