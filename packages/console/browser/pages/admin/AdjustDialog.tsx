import type { AdminAccount, NewAdjustment } from "@tapeline/client/admin"
import { useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Chips } from "../../widgets/Chips.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { TextInput, Toggle } from "../../widgets/fields.tsx"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { type AdjustmentDraft, type AdjustmentField, emptyDraft, readDraft } from "./adjustmentDraft.ts"
import { useAdminChange } from "./adminAccess.tsx"
import { creditTexts } from "./creditTexts.ts"

const kinds = ["grant", "refund", "correction"] as const

interface FieldsProps {
  readonly draft: AdjustmentDraft
  readonly setDraft: (draft: AdjustmentDraft) => void
  readonly invalid: ReadonlySet<AdjustmentField>
}

/** The fields of one kind of adjustment, without the reason and the reference. */
const KindFields = ({ draft, invalid, setDraft }: FieldsProps) => {
  const texts = useTexts(creditTexts)
  const { kind } = draft
  const change = (name: keyof AdjustmentDraft) => (value: string) => setDraft({ ...draft, [name]: value })
  const amountFault = kind === "correction" ? texts.correctionWrong : texts.amountWrong
  const amountHint = { grant: undefined, refund: texts.refundAmountHint, correction: texts.amountHint }[kind]
  return (
    <>
      {kind === "refund" && (
        <TextInput
          label={texts.call}
          hint={texts.callHint}
          value={draft.callId}
          onChange={change("callId")}
          fault={invalid.has("callId") ? texts.callWrong : undefined}
          isCode
          isRequired
        />
      )}
      <TextInput
        label={texts.amount}
        value={draft.amount}
        onChange={change("amount")}
        fault={invalid.has("amount") ? amountFault : undefined}
        // A numeric keyboard of a phone has no minus sign.
        keyboard={kind === "correction" ? "text" : "numeric"}
        isRequired={kind !== "refund"}
        {...(amountHint === undefined ? {} : { hint: amountHint })}
      />
      {kind !== "refund" && (
        <TextInput
          label={texts.month}
          hint={texts.monthHint}
          value={draft.month}
          onChange={change("month")}
          fault={invalid.has("month") ? texts.monthWrong : undefined}
          placeholder="2035-01"
        />
      )}
      {kind === "grant" && (
        <TextInput
          label={texts.months}
          value={draft.months}
          onChange={change("months")}
          fault={invalid.has("months") ? texts.monthsWrong : undefined}
          keyboard="numeric"
          placeholder="1"
        />
      )}
      {kind === "correction" && (
        <Toggle
          isOn={draft.allowsNegative}
          onChange={(allowsNegative) => setDraft({ ...draft, allowsNegative })}
        >
          {texts.allowNegative}
        </Toggle>
      )}
    </>
  )
}

/** A sentence that states what a grant does, so that a misread amount is noticed before the change. */
const Summary = ({ adjustment }: { readonly adjustment: NewAdjustment }) => {
  const texts = useTexts(creditTexts)
  const { integer } = useNumbers()
  if (adjustment.kind !== "grant") return null
  return (
    <p className="medium" role="status">{texts.summaryGrant(integer(adjustment.amount), adjustment.months ?? 1)}</p>
  )
}

/** The form that grants, refunds or corrects credits of an account. */
export const AdjustDialog = ({ account, callId, onClose }: {
  readonly account: AdminAccount
  /** The call to refund. If undefined, the form begins with a grant. */
  readonly callId?: string
  readonly onClose: () => void
}) => {
  const texts = useTexts(creditTexts)
  const [draft, setDraft] = useState<AdjustmentDraft>(
    callId === undefined ? emptyDraft : { ...emptyDraft, kind: "refund", callId }
  )
  const action = useAdminChange(
    "adjustCredits",
    (client, { account, adjustment }: { readonly account: number; readonly adjustment: NewAdjustment }, options) =>
      client.adjustCredits(account, adjustment, options),
    () => {
      showToast(texts.adjusted(account.name))
      onClose()
    }
  )
  const result = readDraft(draft)
  const { isSubmitted, submit } = useForm(() => {
    if ("adjustment" in result && !action.isRunning) {
      action.run({ account: account.id, adjustment: result.adjustment })
    }
  })
  const invalid = isSubmitted && "invalid" in result ? result.invalid : new Set<AdjustmentField>()
  const details = { grant: texts.grantDetail, refund: texts.refundDetail, correction: texts.correctionDetail }
  return (
    <Dialog title={texts.adjustTitle(account.name, account.id)} isOpen onClose={onClose}>
      <form className="column gap-4" onSubmit={submit}>
        <Chips
          label={texts.kind}
          selected={draft.kind}
          onChange={(kind) => setDraft({ ...draft, kind })}
          options={kinds.map((value) => ({ value, label: texts[value] }))}
        />
        <p className="soft">{details[draft.kind]}</p>
        <KindFields draft={draft} setDraft={setDraft} invalid={invalid} />
        <TextInput
          label={texts.reason}
          hint={texts.reasonHint}
          value={draft.reason}
          onChange={(reason) => setDraft({ ...draft, reason })}
          fault={invalid.has("reason") ? texts.reasonWrong : undefined}
          isRequired
        />
        <TextInput
          label={texts.reference}
          hint={texts.referenceHint}
          value={draft.reference}
          onChange={(reference) => setDraft({ ...draft, reference })}
        />
        {"adjustment" in result && <Summary adjustment={result.adjustment} />}
        <p className="soft small">{texts.repeat}</p>
        <FormActions label={texts.confirm} isRunning={action.isRunning} problem={action.problem} onClose={onClose} />
      </form>
    </Dialog>
  )
}
