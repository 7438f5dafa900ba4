/** Text without control characters, which a terminal would interpret. */
export function toPlainText(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\uFFFD');
}
