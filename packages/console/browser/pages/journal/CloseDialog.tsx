import { useState } from "react"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import type { ArgumentIssues } from "../../requests/useWrite.ts"
import { Chips } from "../../widgets/Chips.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { ProfitLoss } from "../../widgets/ProfitLoss.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { type CloseDraft, initialCloseDraft, parseCloseDraft } from "./closeDraft.ts"
import { NumberInput, useFaultText } from "./fields.tsx"
import styles from "./Journal.module.css"
import { computeProfit } from "./journal.ts"
import { positionFormTexts } from "./positionFormTexts.ts"
import type { Position } from "./queries.ts"
import { type CloseArguments, useClosePosition } from "./useJournal.ts"

const ShareField = ({ change, fault, draft }: {
  readonly draft: CloseDraft
  readonly change: (changes: Partial<CloseDraft>) => void
  readonly fault: string | undefined
}) => {
  const texts = useTexts(positionFormTexts)
  return (
    <>
      <div className="column gap-1">
        <span className="medium">{texts.share}</span>
        <Chips<CloseDraft["share"]>
          label={texts.share}
          selected={draft.share}
          onChange={(share) => change({ share })}
          options={[
            { value: "25", label: "25%" },
            { value: "50", label: "50%" },
            { value: "75", label: "75%" },
            { value: "100", label: texts.all },
            { value: "other", label: texts.other }
          ]}
        />
      </div>
      {draft.share === "other" && (
        <NumberInput
          label={texts.percent}
          type={texts.percentType}
          value={draft.percent}
          onChange={(percent) => change({ percent })}
          fault={fault}
        />
      )}
    </>
  )
}

const PriceFields = ({ change, faults, mark, issues, draft }: {
  readonly draft: CloseDraft
  readonly change: (changes: Partial<CloseDraft>) => void
  readonly faults: ReturnType<typeof parseCloseDraft>["faults"]
  readonly issues: ArgumentIssues
  readonly mark: number | null
}) => {
  const texts = useTexts(positionFormTexts)
  const { figure } = useNumbers()
  const faultText = useFaultText()
  return (
    <div className={forms["pair"]}>
      <NumberInput
        label={texts.exit}
        type="USD"
        value={draft.exit}
        onChange={(exit) => change({ exit })}
        hint={mark === null ? undefined : texts.markHint(figure(mark))}
        fault={faultText(faults.exit, issues["exit"])}
        isRequired
      />
      <NumberInput
        label={texts.fees}
        type="USD"
        value={draft.fees}
        onChange={(fees) => change({ fees })}
        hint={texts.feesHint}
        fault={faultText(faults.fees, issues["fees_usd"])}
      />
    </div>
  )
}

const ClosePreview = ({ args, position: { entry, side, size_usd: size } }: {
  readonly args: CloseArguments | undefined
  readonly position: Position
}) => {
  const texts = useTexts(positionFormTexts)
  if (args === undefined || entry === null || size === null) return null
  const { exit, fees_usd: fees = 0, fraction } = args
  return (
    <p className={styles["reckoned"]} role="status">
      <span>{texts.profitAfterFees}</span>
      <strong>
        <ProfitLoss usd={computeProfit({ side, size: size * fraction, entry, exit, fees })} />
      </strong>
    </p>
  )
}

export const CloseDialog = (
  { position, onClose }: { readonly position: Position; readonly onClose: () => void }
) => {
  const texts = useTexts(positionFormTexts)
  const { language } = useLanguage()
  const pricedLabel = usePricedLabel()
  const faultText = useFaultText()
  const [draft, setDraft] = useState<CloseDraft>(() => initialCloseDraft(position))
  const { reset, isRunning, issues, run, problem } = useClosePosition(({ position: remaining, trade }) => {
    showToast(remaining === null ? texts.closed(trade.coin) : texts.closedPart(trade.coin))
    onClose()
  })
  const change = (changes: Partial<CloseDraft>) => {
    setDraft({ ...draft, ...changes })
    reset()
  }
  const { args, faults } = parseCloseDraft(draft, language, position.id)
  const { isSubmitted, submit } = useForm(() => {
    if (args !== undefined) run(args)
  })
  const shown = isSubmitted ? faults : {}
  const tools = draft.share === "100" ? ["close_position"] : ["close_position", "get_positions"]
  return (
    <Dialog title={texts.closeTitle(position.coin)} isOpen onClose={onClose}>
      <form className="column gap-3" onSubmit={submit} noValidate>
        <ShareField draft={draft} change={change} fault={faultText(shown.percent, issues["fraction"])} />
        <PriceFields draft={draft} change={change} faults={shown} issues={issues} mark={position.mark} />
        <TextInput
          label={texts.notes}
          lines={2}
          value={draft.notes}
          onChange={(notes) => change({ notes })}
          fault={issues["notes"]}
        />
        <ClosePreview args={args} position={position} />
        <FormActions
          label={pricedLabel(texts.close, ...tools)}
          isRunning={isRunning}
          problem={Object.keys(issues).length === 0 ? problem : undefined}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
