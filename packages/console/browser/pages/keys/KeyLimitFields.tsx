import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { TextInput } from "../../widgets/fields.tsx"
import { type LimitDraft, parseLimit } from "./limitDraft.ts"
import { keyLimitTexts } from "./limitTexts.ts"

/** The form fields for the limits of a key. */
export const KeyLimitFields = ({ draft, isSubmitted, onChange }: {
  readonly draft: LimitDraft
  readonly onChange: (draft: LimitDraft) => void
  readonly isSubmitted: boolean
}) => {
  const texts = useTexts(keyLimitTexts)
  const { language } = useLanguage()
  const faultOf = (text: string, minimum: number) =>
    isSubmitted && parseLimit(text, minimum, language) === undefined ? texts.number : undefined
  return (
    <>
      <TextInput
        label={texts.credits}
        value={draft.credits}
        onChange={(credits) => onChange({ ...draft, credits })}
        hint={texts.creditsHint}
        fault={faultOf(draft.credits, 0)}
        keyboard="numeric"
      />
      <TextInput
        label={texts.requests}
        value={draft.requests}
        onChange={(requests) => onChange({ ...draft, requests })}
        hint={texts.requestsHint}
        fault={faultOf(draft.requests, 1)}
        keyboard="numeric"
      />
      <TextInput
        label={texts.addresses}
        value={draft.addresses}
        onChange={(addresses) => onChange({ ...draft, addresses })}
        hint={texts.addressesHint}
        lines={3}
        isCode
      />
    </>
  )
}
