// Receives webhooks and prints each event once: node webhook-server.js
// Set PORT and LEADLINE_WEBHOOK_SECRET, which webhooks.create returns. While you replace the
// secret, put both there, with a comma between them.
import { createServer } from "node:http";
import { WebhookVerificationError, verifyWebhook } from "leadline/webhooks";

const secrets = (process.env.LEADLINE_WEBHOOK_SECRET ?? "").split(",");
const handled = new Set<string>(); // keep the ids for a day in a real receiver

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, secrets);
    response.writeHead(204).end();
    if (handled.has(event.data.eventId)) return;
    handled.add(event.data.eventId);
    if (event.type === "decision.material_change") {
      console.log(event.data.direction, event.data.decision.headline);
    } else {
      console.log(event.type, event.timestamp);
    }
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    console.error(String(error));
  }
}).listen(process.env.PORT ?? 8081);
