import { useQueryClient } from "@tanstack/react-query"
import type { Client, Message, Proposal } from "@tapeline/client"
import { Check, Pencil, X } from "lucide-react"
import { useId, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { requestTimeoutMs } from "../../requests/makeClient.ts"
import { type Action, useAction } from "../../requests/useRequest.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import styles from "./ProposalCards.module.css"
import { type ArgumentField, readFields, toFields } from "./proposals.ts"
import { analystTexts } from "./texts.ts"

const options = { timeout_ms: requestTimeoutMs }

/** Returns an action on a proposal. After the action, the page reads the conversation and the changed records again. */
const useProposalAction = <Input extends object | string>(
  run: (client: Client, input: Input) => Promise<unknown>,
  onSuccess?: () => void
): Action<Input, unknown> => {
  const { identity } = useAccess()
  const queryClient = useQueryClient()
  return useAction<Input, unknown>(async (client, input) => {
    try {
      return await run(client, input)
    } finally {
      // A failed request may have changed the state of the proposal.
      void queryClient.invalidateQueries({ queryKey: [identity] })
    }
  }, onSuccess)
}

/** Dismisses the proposal, and then calls its tool with the changed arguments. */
const EditDialog = ({ onClose, proposal }: { readonly proposal: Proposal; readonly onClose: () => void }) => {
  const texts = useTexts(analystTexts)
  const { idempotencyKeys } = useAccess()
  const [fields, setFields] = useState<ReadonlyArray<ArgumentField>>(() => toFields(proposal.arguments))
  const save = useProposalAction(async (client, args: Readonly<Record<string, unknown>>) => {
    const { id, tool } = proposal
    await client.proposals.dismiss(id, options)
    const key = idempotencyKeys.keyFor(tool, { proposal: id, args })
    await client.call(tool, args, { ...options, idempotency_key: key })
    idempotencyKeys.markSucceeded(tool, { proposal: id, args })
  }, onClose)
  const values = readFields(fields)
  const { isSubmitted, submit } = useForm(() => {
    if ("args" in values) save.run(values.args)
  })
  const change = (name: string, text: string) =>
    setFields((before) => before.map((field) => field.name === name ? { ...field, text } : field))
  return (
    <Dialog title={texts.proposalEditTitle} isOpen onClose={onClose}>
      <form className="column gap-3" onSubmit={submit}>
        <p>{texts.proposalEditDetail}</p>
        {fields.map(({ isJson, name, text }) => (
          <TextInput
            key={name}
            label={name}
            value={text}
            fault={isSubmitted && "invalid" in values && values.invalid === name ? texts.proposalInvalid : undefined}
            hint={isJson ? texts.proposalJson : undefined}
            onChange={(value) => change(name, value)}
          />
        ))}
        <FormActions
          isRunning={save.isRunning}
          label={texts.proposalSave}
          problem={save.problem}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

const ProposalButtons = ({ proposal, summaryId }: { readonly proposal: Proposal; readonly summaryId: string }) => {
  const texts = useTexts(analystTexts)
  const [isEditing, setIsEditing] = useState(false)
  const accept = useProposalAction((client, id: string) => client.proposals.accept(id, options))
  const dismiss = useProposalAction((client, id: string) => client.proposals.dismiss(id, options))
  const { id, state } = proposal
  const isBusy = accept.isRunning || dismiss.isRunning
  const problem = accept.problem ?? dismiss.problem
  return (
    <>
      <div className="row wrap gap-2">
        <Button
          variant="primary"
          isBusy={accept.isRunning}
          isDisabled={dismiss.isRunning}
          aria-describedby={summaryId}
          onPress={() => accept.run(id)}
        >
          <Check aria-hidden />
          {state === "accepting" ? texts.proposalFinish : texts.proposalAccept}
        </Button>
        {state === "open" && (
          <>
            <Button isDisabled={isBusy} aria-describedby={summaryId} onPress={() => setIsEditing(true)}>
              <Pencil aria-hidden />
              {texts.proposalEdit}
            </Button>
            <Button
              variant="quiet"
              isBusy={dismiss.isRunning}
              isDisabled={accept.isRunning}
              aria-describedby={summaryId}
              onPress={() => dismiss.run(id)}
            >
              <X aria-hidden />
              {texts.proposalDismiss}
            </Button>
          </>
        )}
      </div>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {isEditing && <EditDialog proposal={proposal} onClose={() => setIsEditing(false)} />}
    </>
  )
}

const stateTexts = {
  open: "proposalIsOpen",
  accepting: "proposalIsAccepting",
  accepted: "proposalIsAccepted",
  failed: "proposalIsFailed",
  dismissed: "proposalIsDismissed",
  expired: "proposalIsExpired",
  superseded: "proposalIsSuperseded"
} as const satisfies Readonly<Record<Proposal["state"], string>>

const ProposalCard = ({ proposal }: { readonly proposal: Proposal }) => {
  const texts = useTexts(analystTexts)
  const summaryId = useId()
  const { error, state, summary } = proposal
  const isOpen = state === "open" || state === "accepting"
  return (
    <li className={styles["card"]}>
      <p id={summaryId} className={styles["summary"]}>{summary.replaceAll("`", "")}</p>
      {/* The state is a live region, so that a screen reader announces the result of an action. */}
      <p className="faint small" role="status">{texts[stateTexts[state]]}</p>
      {error !== null && <p className="bad small">{error.message}</p>}
      {isOpen && <ProposalButtons proposal={proposal} summaryId={summaryId} />}
    </li>
  )
}

/** The proposed changes of an answer, with their states and, while they are open, the buttons to decide on them. */
export const ProposalCards = ({ message }: { readonly message: Message }) => {
  const texts = useTexts(analystTexts)
  return message.proposals.length === 0 ? null : (
    <ul className={styles["cards"]} aria-label={texts.proposals}>
      {message.proposals.map((proposal) => <ProposalCard key={proposal.id} proposal={proposal} />)}
    </ul>
  )
}
