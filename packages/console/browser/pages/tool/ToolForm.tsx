import type { SubmitEvent } from "react"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { Panel } from "../../widgets/layout.tsx"
import { ArgumentField } from "./ArgumentField.tsx"
import type { Field, FieldInputs } from "./schema.ts"
import { toolTexts } from "./texts.ts"
import styles from "./ToolPage.module.css"

export const ToolForm = ({ credits, faults, fields, isRunning, onChange, onRun, inputs }: {
  readonly fields: ReadonlyArray<Field>
  readonly inputs: FieldInputs
  readonly faults: Readonly<Record<string, string>>
  readonly credits: number
  readonly isRunning: boolean
  readonly onChange: (name: string, value: string) => void
  readonly onRun: () => void
}) => {
  const texts = useTexts(toolTexts)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onRun()
  }
  return (
    <Panel title={texts.arguments}>
      <form className="column gap-4" onSubmit={submit} noValidate>
        {fields.length === 0 && <p className={styles["soft"]}>{texts.noArguments}</p>}
        {fields.map((field) => (
          <ArgumentField
            key={field.name}
            field={field}
            value={inputs[field.name] ?? ""}
            fault={faults[field.name]}
            onChange={(value) => onChange(field.name, value)}
          />
        ))}
        <div className="row gap-3">
          <Button type="submit" variant="primary" isBusy={isRunning}>{isRunning ? texts.running : texts.run}</Button>
          <span className={styles["soft"]}>{texts.credits(credits)}</span>
        </div>
      </form>
    </Panel>
  )
}
