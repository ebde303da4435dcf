package io.couchjobs.couch;

import java.util.ArrayList;
import java.util.List;
import org.ektorp.http.HttpResponse;
import org.ektorp.http.StdResponseHandler;

/** Reads the ids of all documents. Ektorp's own reader first makes room for as many as the server says it has: any number. */
final class EktorpDocIds extends StdResponseHandler<List<String>> {

    @Override
    public List<String> success(HttpResponse response) {
        List<String> ids = new ArrayList<>();
        for (ViewResult.Row row : ((EktorpAnswer) response).view().rows()) {
            if (row.id() != null) {
                ids.add(row.id());
            }
        }
        return ids;
    }
}
