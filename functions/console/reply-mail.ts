/** What the mail with a reply to a ticket consists of: see reply-to-ticket.sql. */
export interface ReplyMail {
  to: string
  subject: string
  content: string
  /** The ticket's text, which the mail quotes. */
  ticket: string
  /** The paywall's name. */
  paywall: string
  /** The owner's address: a reply of the user goes there. */
  reply_to: string
}

export const writeReplyMail = (ticketId: string, mail: ReplyMail, from: string) => ({
  from: { name: mail.paywall, email: from },
  to: mail.to,
  replyTo: mail.reply_to,
  subject: `Re: ${mail.subject.replaceAll(/\s+/g, ' ')} (#${ticketId})`, // a mail is refused if a header has line breaks
  text: [mail.content, '', 'You wrote:', ...mail.ticket.split('\n').map((line) => `> ${line}`), ''].join('\n'),
})
