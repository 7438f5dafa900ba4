import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';

const said = (text: string): JsonObject => ({ text });
const user = (...parts: JsonObject[]): JsonObject => ({ role: 'user', parts });
const model = (...parts: JsonObject[]): JsonObject => ({ role: 'model', parts });
const ask = user(said('Hello.'));
const look = { contents: [user(said('Look.'))] };
const look2 = (p: JsonObject): JsonObject => ({ contents: [user(said('Look.'), p)] });
const call = { functionCall: { id: 'c1', name: 'weather', args: { city: 'Rom' } } };
const res = (o: JsonObject): JsonObject => ({ functionResponse: { id: 'c1', name: 'weather', ...o } });
const round = (c: JsonObject, r: JsonObject): JsonObject => ({ contents: [ask, model(c), user(r)] });
const plain = round(call, res({ response: { output: 'Sunny.' } }));
const reply = (...p: JsonObject[]): JsonObject => ({ contents: [ask, model(...p, said('Hi.')), ask] });

export const GEMINI_CONTENTS: Samples = {
  'contents[].role (user)': [{ contents: [user(said('Bye.'))] }],
  'contents[].role (model)': [{ contents: [ask, model(said('Hi.')), ask] }, { contents: [ask] }],
  'contents[].role (model), last': [{ contents: [ask, model(said('Once'))] }, { contents: [ask] }],
  'contents[].parts[].text': [
    { contents: [user(said('One.'), said('Two.'))] },
    { contents: [user(said('One.'))] },
  ],
  'contents[].parts[].thought': [reply({ text: 'Hm.', thought: true }), reply()],
  'contents[].parts[].thoughtSignature, on a thought': [
    reply({ text: 'Hm.', thought: true, thoughtSignature: 'c2ln' }),
    reply(),
  ],
  'contents[].parts[].thoughtSignature, on a call': [
    round({ ...call, thoughtSignature: 'c2ln' }, res({ response: { output: 'Sunny.' } })),
    plain,
  ],
  'contents[].parts[].inlineData (image)': [
    look2({ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }),
    look,
  ],
  'contents[].parts[].inlineData (document)': [
    look2({ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }),
    look,
  ],
  'contents[].parts[].inlineData.displayName': [
    look2({ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=', displayName: 'a.pdf' } }),
    look2({ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }),
  ],
  'contents[].parts[].inlineData (text)': [
    look2({ inlineData: { mimeType: 'text/plain', data: 'U29tZSB3b3Jkcy4=' } }),
    look,
  ],
  'contents[].parts[].inlineData (audio)': [
    look2({ inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }),
    look,
  ],
  'contents[].parts[].inlineData (video)': [
    look2({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
    look,
  ],
  'contents[].parts[].fileData (an address)': [
    look2({ fileData: { mimeType: 'image/png', fileUri: 'https://pictures.test/cat.png' } }),
    look,
  ],
  'contents[].parts[].fileData (a file of Google)': [
    look2({ fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/cat.png' } }),
    look,
  ],
  'contents[].parts[].videoMetadata': [
    {
      contents: [
        user(said('Look.'), {
          inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' },
          videoMetadata: { fps: 1 },
        }),
      ],
    },
    { contents: [user(said('Look.'), { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } })] },
  ],
  'contents[].parts[].functionCall, functionResponse': [plain, { contents: [ask] }],
  'contents[].parts[].functionResponse.response (error)': [
    round(call, res({ response: { error: 'Sunny.' } })),
    plain,
  ],
  'contents[].parts[].functionResponse.parts[]': [
    round(
      call,
      res({
        response: { output: 'Sunny.' },
        parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
      }),
    ),
    plain,
  ],
  'contents[].parts[].executableCode and its result': [
    reply(
      { executableCode: { language: 'PYTHON', code: '1' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
    ),
    reply(),
  ],
};
