import { type ReactNode, type SubmitEvent, useState } from "react"
import { useTexts } from "../i18n/texts.ts"
import type { Problem } from "../requests/problem.ts"
import { Button } from "./Button.tsx"
import { Dialog, DialogActions } from "./Dialog.tsx"
import { ProblemNote } from "./states.tsx"
import { widgetTexts } from "./texts.ts"

/** Returns the handler for the submission of a form, and whether the user has submitted the form. */
export const useForm = (send: () => void) => {
  const [isSubmitted, setIsSubmitted] = useState(false)
  return {
    isSubmitted,
    submit: (event: SubmitEvent) => {
      event.preventDefault()
      setIsSubmitted(true)
      send()
    }
  }
}

/** The error of a form in a dialog, and the buttons that close the dialog and submit the form. */
export const FormActions = ({ isRunning, label, onClose, problem }: {
  readonly label: string
  readonly isRunning: boolean
  readonly problem?: Problem | undefined
  readonly onClose: () => void
}) => {
  const texts = useTexts(widgetTexts)
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} />}
      <DialogActions>
        <Button onPress={onClose}>{texts.cancel}</Button>
        <Button type="submit" variant="primary" isBusy={isRunning}>{label}</Button>
      </DialogActions>
    </>
  )
}

/** A dialog in which the user confirms an action that cannot be undone. */
export const ConfirmDialog = (
  { action: { isRunning, problem }, children, isOpen = true, label, onClose, onConfirm, title }: {
    readonly title: string
    readonly children: ReactNode
    readonly label: string
    readonly action: { readonly isRunning: boolean; readonly problem?: Problem | undefined }
    readonly isOpen?: boolean
    readonly onConfirm: () => void
    readonly onClose: () => void
  }
) => {
  const texts = useTexts(widgetTexts)
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      {children}
      {problem !== undefined && <ProblemNote problem={problem} />}
      <DialogActions>
        <Button onPress={onClose}>{texts.cancel}</Button>
        <Button variant="danger" isBusy={isRunning} onPress={onConfirm}>{label}</Button>
      </DialogActions>
    </Dialog>
  )
}
