import { Download } from "lucide-react"
import { SignInAgain } from "../../access/SignInAgain.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import { useExport } from "./sessions.ts"
import { sessionsTexts } from "./texts.ts"

/** Downloads all data of the account. */
export const ExportButton = ({ account }: { readonly account: number }) => {
  const texts = useTexts(sessionsTexts)
  const { isRunning, problem, run } = useExport(account)
  return (
    <div className="column gap-2">
      <div>
        <Button onPress={() => run()} isBusy={isRunning}>
          <Download aria-hidden />
          {isRunning ? texts.exporting : texts.exportData}
        </Button>
      </div>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {problem?.kind === "sign in again" && <SignInAgain />}
    </div>
  )
}
