import { useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { parseNumber } from "../../i18n/parseNumber.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import type { WriteAction } from "../../requests/useWrite.ts"
import { CandidateRow } from "../../widgets/CandidateRow.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { NumberInput, useFaultText } from "./fields.tsx"
import styles from "./Journal.module.css"
import { computeLossAtStop } from "./journal.ts"
import {
  emptyPosition,
  type Fault,
  numberFields,
  parseChangedPosition,
  parseNewPosition,
  type PositionDraft,
  toPositionDraft
} from "./positionDraft.ts"
import { positionFormTexts } from "./positionFormTexts.ts"
import type { Profile, RecordedPosition } from "./queries.ts"
import { useChangePosition, useRecordPosition } from "./useJournal.ts"

const LossAtStop = ({ profile, draft }: { readonly draft: PositionDraft; readonly profile: Profile | undefined }) => {
  const texts = useTexts(positionFormTexts)
  const { language } = useLanguage()
  const { usd, percent } = useFormats()
  const [size, entry, stop] = [draft.size_usd, draft.entry, draft.stop].map((text) => parseNumber(text, language))
  if (size === undefined || entry === undefined || stop === undefined || !(entry > 0) || !(size > 0)) return null
  const loss = computeLossAtStop({ side: draft.side, size, entry, stop })
  const account = profile?.account_usd ?? null
  return (
    <p className={styles["reckoned"]} role="status">
      {loss === 0
        ? texts.noRisk
        : (
          <>
            <strong>{texts.atStop(usd(loss))}</strong>
            {account !== null && <span>{texts.ofAccount(percent(loss / account * 100))}</span>}
          </>
        )}
    </p>
  )
}

const PositionFields = ({ change, faults, isNew, draft, writeAction }: {
  readonly draft: PositionDraft
  readonly change: (changes: Partial<PositionDraft>) => void
  readonly faults: Readonly<Partial<Record<keyof PositionDraft, Fault>>>
  readonly isNew: boolean
  readonly writeAction: Pick<WriteAction<never>, "candidates" | "issues" | "unknownSymbol">
}) => {
  const texts = useTexts(positionFormTexts)
  const faultText = useFaultText()
  const { candidates, issues, unknownSymbol } = writeAction
  const names = { size_usd: texts.size, entry: texts.entry, stop: texts.stop, leverage: texts.leverage }
  const types = { size_usd: texts.sizeType, entry: "USD", stop: "USD", leverage: texts.leverageType }
  // The service reports an issue with a single target of the position under the path `takes.<index>`.
  const targetsIssue = Object.entries(issues).find(([path]) => path.startsWith("takes"))?.[1]
  return (
    <>
      {isNew && (
        <div className={forms["pair"]}>
          <TextInput
            label={texts.coin}
            value={draft.coin}
            onChange={(coin) => change({ coin })}
            fault={faultText(faults.coin, issues["coin"] ?? unknownSymbol)}
            placeholder="BTC"
            isCode
            isRequired
          />
          <div className="column gap-1">
            <span className="medium">{texts.side}</span>
            <Chips
              label={texts.side}
              selected={draft.side}
              onChange={(side) => change({ side })}
              options={[{ value: "long", label: texts.long }, { value: "short", label: texts.short }]}
            />
          </div>
        </div>
      )}
      <CandidateRow candidates={candidates} onSelect={(coin) => change({ coin })} />
      <div className={forms["pair"]}>
        {numberFields.map((name) => (
          <NumberInput
            key={name}
            label={names[name]}
            type={types[name]}
            value={draft[name]}
            onChange={(text) => change({ [name]: text })}
            fault={faultText(faults[name], issues[name])}
          />
        ))}
      </div>
      <NumberInput
        label={texts.targets}
        type="USD"
        hint={texts.targetsHint}
        value={draft.targets}
        onChange={(targets) => change({ targets })}
        fault={faultText(faults.targets, targetsIssue)}
      />
      <TextInput
        label={texts.notes}
        lines={2}
        value={draft.notes}
        onChange={(notes) => change({ notes })}
        fault={issues["notes"]}
      />
    </>
  )
}

const fieldPaths: ReadonlyArray<string> = Object.keys(emptyPosition)

/** Returns the error of a position form, or undefined if messages at the form's fields already show the error. */
const unshownProblem = (
  { issues, problem, unknownSymbol }: Pick<WriteAction<never>, "issues" | "problem" | "unknownSymbol">
) => {
  const paths = Object.keys(issues)
  const isShownByFields = unknownSymbol !== undefined ||
    (paths.length > 0 && paths.every((path) => fieldPaths.includes(path.split(".")[0]!)))
  return isShownByFields ? undefined : problem
}

export const PositionDialog = ({ initial, existing, onClose, onRecorded, profile }: {
  readonly existing?: RecordedPosition
  readonly initial?: Partial<PositionDraft> | undefined
  readonly profile?: Profile | undefined
  readonly onClose: () => void
  readonly onRecorded?: () => void
}) => {
  const texts = useTexts(positionFormTexts)
  const { language } = useLanguage()
  const pricedLabel = usePricedLabel()
  const [draft, setDraft] = useState<PositionDraft>(() =>
    existing === undefined ? { ...emptyPosition, ...initial } : toPositionDraft(existing)
  )
  const recordAction = useRecordPosition(({ coin }) => {
    showToast(texts.recorded(coin))
    onClose()
    onRecorded?.()
  })
  const changeAction = useChangePosition(({ coin }) => {
    showToast(texts.changed(coin))
    onClose()
  })
  const writeAction = existing === undefined ? recordAction : changeAction
  const { faults } = existing === undefined
    ? parseNewPosition(draft, language)
    : parseChangedPosition(draft, language, existing)
  const { isSubmitted, submit } = useForm(() => {
    if (Object.keys(faults).length > 0) return
    if (existing === undefined) return recordAction.run(parseNewPosition(draft, language).args)
    const { args } = parseChangedPosition(draft, language, existing)
    if (args === undefined) onClose()
    else changeAction.run(args)
  })
  return (
    <Dialog
      title={existing === undefined ? texts.recordTitle : texts.changeTitle(existing.coin)}
      isOpen
      onClose={onClose}
    >
      <form className="column gap-3" onSubmit={submit} noValidate>
        <PositionFields
          draft={draft}
          change={(changes) => {
            setDraft({ ...draft, ...changes })
            writeAction.reset()
          }}
          faults={isSubmitted ? faults : {}}
          isNew={existing === undefined}
          writeAction={writeAction}
        />
        <LossAtStop draft={draft} profile={profile} />
        <FormActions
          label={existing === undefined
            ? pricedLabel(texts.record, "set_position", "get_positions")
            : pricedLabel(texts.save, "update_position", "get_positions")}
          isRunning={writeAction.isRunning}
          problem={unshownProblem(writeAction)}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
